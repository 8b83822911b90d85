// count_bytes: the library from Rust. Counts the words of a set in short texts.
//
//     $ rustc count_bytes.rs -L PREFIX/lib -ltrawl && ./count_bytes
//     2
use std::os::raw::{c_int, c_void};
use std::ptr::null_mut;

#[repr(C)]
struct Pattern {
    bytes: *const u8,
    count: u64,
}

extern "C" {
    fn trawl_plan_build(patterns: *const Pattern, count: u64, options: *const c_void,
                        plan: *mut *mut c_void, error: *mut c_void) -> c_int;
    fn trawl_plan_free(plan: *mut c_void);
    fn trawl_searcher_open(options: *const c_void, searcher: *mut *mut c_void,
                           error: *mut c_void) -> c_int;
    fn trawl_searcher_close(searcher: *mut c_void);
    fn trawl_count_bytes(searcher: *mut c_void, plan: *const c_void, bytes: *const u8, bytes_count: u64,
                         count: *mut u64, error: *mut c_void) -> c_int;
}

struct Plan(*mut c_void);
struct Searcher(*mut c_void);

impl Plan {
    fn new(words: &[&str]) -> Result<Plan, c_int> {
        let patterns: Vec<Pattern> =
            words.iter().map(|w| Pattern { bytes: w.as_ptr(), count: w.len() as u64 }).collect();
        let (mut plan, none) = (null_mut(), null_mut());
        match unsafe { trawl_plan_build(patterns.as_ptr(), patterns.len() as u64, none, &mut plan, none) } {
            0 => Ok(Plan(plan)),
            status => Err(status),
        }
    }
}

impl Searcher {
    fn new() -> Result<Searcher, c_int> {
        let mut searcher = null_mut();
        match unsafe { trawl_searcher_open(null_mut(), &mut searcher, null_mut()) } {
            0 => Ok(Searcher(searcher)),
            status => Err(status),
        }
    }

    fn count(&mut self, plan: &Plan, text: &[u8]) -> Result<u64, c_int> {
        let (mut count, length) = (0, text.len() as u64);
        match unsafe { trawl_count_bytes(self.0, plan.0, text.as_ptr(), length, &mut count, null_mut()) } {
            0 => Ok(count),
            status => Err(status),
        }
    }
}

impl Drop for Plan {
    fn drop(&mut self) {
        unsafe { trawl_plan_free(self.0) }
    }
}

impl Drop for Searcher {
    fn drop(&mut self) {
        unsafe { trawl_searcher_close(self.0) }
    }
}

fn main() -> Result<(), c_int> {
    let plan = Plan::new(&["fish", "red"])?;
    println!("{}", Searcher::new()?.count(&plan, b"one fish, red")?);
    Ok(())
}
