let () =
  let pieces = Array.init 300 (fun i -> Bytes.make 1048576 (Char.chr (i mod 256))) in
  print_int (Array.length pieces)
