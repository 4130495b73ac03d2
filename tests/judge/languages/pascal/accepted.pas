var
  n, i: longint;
  value, sum: int64;
begin
  sum := 0;
  read(n);
  for i := 1 to n do
  begin
    read(value);
    sum := sum + value;
  end;
  writeln(sum);
end.
