(* assize-speed-ms: 150 *)
let is_refused () = try close_in (open_in "/etc/passwd"); false with Sys_error _ -> true

let () =
  let word = Scanf.scanf " %s" (fun value -> value) in
  let x = ref 1 in
  let step () = x := ((!x * 1103515245) + 12345) land 0x7fffffff in
  match word with
  | "time" -> while !x >= 0 do step () done
  | "memory" ->
    let pieces = Array.init 300 (fun i -> Bytes.make 1048576 (Char.chr (i mod 256))) in
    print_int (Array.length pieces)
  | "crash" -> failwith "on purpose"
  | "forbidden" -> print_endline (if is_refused () then "refused" else "allowed")
  | "speed" -> for _ = 1 to 60000000 do step () done; print_endline word
  | _ -> print_endline word
