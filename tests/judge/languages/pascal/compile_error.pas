var
  count: longint;
begin
  count := 'text';
end.
