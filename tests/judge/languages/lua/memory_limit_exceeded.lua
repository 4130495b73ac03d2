local pieces = {}
for i = 1, 300 do
    pieces[i] = string.rep("x", 1048576) .. i
end
print(#pieces)
