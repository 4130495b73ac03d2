let () =
  let n = Scanf.scanf " %d" (fun value -> value) in
  let sum = ref 0 in
  for _ = 1 to n do
    sum := !sum + Scanf.scanf " %d" (fun value -> value)
  done;
  Printf.printf "%d\n" !sum
