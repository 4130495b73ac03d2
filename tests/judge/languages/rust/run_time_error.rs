fn main() {
    let none: Vec<i64> = Vec::new();
    println!("{}", none[none.len()]);
}
