-- assize-speed-ms: 200
local function is_refused()
    return io.open("/etc/passwd") == nil
end

local word = io.read("l"):match("%S+")
local x = 1
if word == "time" then
    while true do
        x = (x * 1103515245 + 12345) & 0x7fffffff
    end
elseif word == "memory" then
    local pieces = {}
    for i = 1, 300 do
        pieces[i] = string.rep("x", 1048576) .. i
    end
    print(#pieces)
elseif word == "crash" then
    error("on purpose")
elseif word == "forbidden" then
    word = is_refused() and "refused" or "allowed"
elseif word == "speed" then
    for _ = 1, 15000000 do
        x = (x * 1103515245 + 12345) & 0x7fffffff
    end
end
print(word)
