fn main() {
    let mut last: u64 = 0;
    loop {
        last = unsafe { std::ptr::read_volatile(&last) }.wrapping_add(1);
    }
}
