// count_bytes: the library from Rust. Counts the words of a set in a short text.
//
//     $ rustc count_bytes.rs -L PREFIX/lib -l trawl && LD_LIBRARY_PATH=PREFIX/lib ./count_bytes
//     2
use std::os::raw::{c_int, c_void};
use std::ptr::null_mut;

#[repr(C)]
struct Pattern(*const u8, u64);

extern "C" {
    fn trawl_plan_build(patterns: *const Pattern, count: u64, options: *const c_void,
                        plan: *mut *mut c_void, error: *mut c_void) -> c_int;
    fn trawl_searcher_open(options: *const c_void, searcher: *mut *mut c_void, error: *mut c_void) -> c_int;
    fn trawl_list_bytes(searcher: *mut c_void, plan: *const c_void, bytes: *const u8, bytes_count: u64, flags: u32,
                        matches: *mut c_void, matches_max: u64, count: *mut u64, error: *mut c_void) -> c_int;
    fn trawl_searcher_close(searcher: *mut c_void);
    fn trawl_plan_free(plan: *mut c_void);
}

struct Words { plan: *mut c_void, searcher: *mut c_void }

fn check(status: c_int) -> Result<(), c_int> {
    if status == 0 { Ok(()) } else { Err(status) }
}

impl Words {
    fn new(words: &[&str]) -> Result<Words, c_int> {
        let patterns: Vec<_> = words.iter().map(|w| Pattern(w.as_ptr(), w.len() as u64)).collect();
        let (mut made, none) = (Words { plan: null_mut(), searcher: null_mut() }, null_mut());
        check(unsafe { trawl_plan_build(patterns.as_ptr(), patterns.len() as u64, none, &mut made.plan, none) })?;
        check(unsafe { trawl_searcher_open(none, &mut made.searcher, none) })?;
        Ok(made)
    }

    fn count(&mut self, text: &[u8]) -> Result<u64, c_int> {
        let (mut count, length) = (0, text.len() as u64);
        check(unsafe { // room for no match: only count
            trawl_list_bytes(self.searcher, self.plan, text.as_ptr(), length, 0, null_mut(), 0, &mut count, null_mut())
        })?;
        Ok(count)
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        unsafe { trawl_searcher_close(self.searcher); trawl_plan_free(self.plan) }
    }
}

fn main() -> Result<(), c_int> {
    println!("{}", Words::new(&["fish", "red"])?.count(b"one fish, red")?);
    Ok(())
}
