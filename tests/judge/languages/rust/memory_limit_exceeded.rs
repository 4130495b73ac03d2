fn main() {
    let mut pieces: Vec<Vec<u8>> = Vec::new();
    for i in 0..300 {
        pieces.push(vec![i as u8 | 1; 1 << 20]);
    }
    println!("{}", pieces.len());
}
