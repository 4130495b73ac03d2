// assize-speed-ms: 150
fn is_refused() -> bool {
    std::fs::read("/etc/passwd").is_err()
}

fn main() {
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).unwrap();
    let word = line.trim();
    let mut x: u32 = 1;
    match word {
        "time" => {
            while x != 7 || word.len() > 0 {
                x = x.wrapping_mul(1103515245).wrapping_add(word.len() as u32);
            }
        }
        "memory" => {
            let pieces: Vec<Vec<u8>> = (0..300).map(|i| vec![i as u8 | 1; 1 << 20]).collect();
            println!("{}", pieces.len());
        }
        "crash" => panic!("on purpose"),
        "forbidden" => println!("{}", if is_refused() { "refused" } else { "allowed" }),
        "speed" => {
            for _ in 0..100000000 {
                x = x.wrapping_mul(1103515245).wrapping_add(word.len() as u32);
            }
            println!("{}", if x == 7 { "never" } else { "speed" });
        }
        _ => println!("{}", word),
    }
}
