fn main() {
    let count: i64 = "text";
}
