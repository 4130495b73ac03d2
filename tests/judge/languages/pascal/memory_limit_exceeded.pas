var
  i: longint;
  piece: pchar;
begin
  for i := 1 to 300 do
  begin
    getmem(piece, 1048576);
    fillchar(piece^, 1048576, 1);
  end;
end.
