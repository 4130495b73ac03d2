{ assize-speed-ms: 150 }
var
  word: string;
  x: longword;
  i: longint;
  piece: pchar;
  passwd: text;
begin
  readln(word);
  x := 1;
  if word = 'time' then
    while length(word) > 0 do
      x := (x * 11035 + 12345) and $ffff;
  if word = 'memory' then
    for i := 1 to 300 do
    begin
      getmem(piece, 1048576);
      fillchar(piece^, 1048576, 1);
    end;
  if word = 'crash' then
    halt(3);
  if word = 'forbidden' then
  begin
    assign(passwd, '/etc/passwd');
    {$I-} reset(passwd); {$I+}
    if ioresult = 0 then word := 'allowed' else word := 'refused';
  end;
  if word = 'speed' then
    for i := 1 to 60000000 do
      x := (x * 11035 + 12345) and $ffff;
  writeln(word);
end.
