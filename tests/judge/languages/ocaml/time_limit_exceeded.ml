let () =
  let last = ref 0 in
  while !last >= 0 do
    last := (!last + 1) mod 1000
  done
