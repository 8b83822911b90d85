// CountBytes: the library from C#. Counts the words of a set in a short text. Prints 2.
using System;
using System.Linq;
using System.Runtime.InteropServices;
using System.Text;

static class Trawl {
    [StructLayout(LayoutKind.Sequential)] struct Pattern { public IntPtr Bytes; public ulong Count; }

    [DllImport("libtrawl.so.2")] static extern int trawl_plan_build(
        Pattern[] patterns, ulong count, IntPtr options, out IntPtr plan, IntPtr error);
    [DllImport("libtrawl.so.2")] static extern int trawl_searcher_open(
        IntPtr options, out IntPtr searcher, IntPtr error);
    [DllImport("libtrawl.so.2")] static extern int trawl_list_bytes(
        IntPtr searcher, IntPtr plan, byte[] bytes, ulong bytesCount, uint flags, IntPtr matches, ulong matchesMax,
        out ulong count, IntPtr error);
    [DllImport("libtrawl.so.2")] static extern void trawl_searcher_close(IntPtr searcher);
    [DllImport("libtrawl.so.2")] static extern void trawl_plan_free(IntPtr plan);

    static void Check(int status) {
        if (status != 0) throw new Exception($"trawl: status {status}");
    }

    static IntPtr Plan(params string[] words) {
        var pins = words.Select(w => GCHandle.Alloc(Encoding.UTF8.GetBytes(w), GCHandleType.Pinned)).ToArray();
        var patterns = pins.Select(p => new Pattern {
            Bytes = p.AddrOfPinnedObject(), Count = (ulong)((byte[])p.Target).Length }).ToArray();
        int status = trawl_plan_build(patterns, (ulong)patterns.Length, IntPtr.Zero, out var plan, IntPtr.Zero);
        foreach (var pin in pins) pin.Free(); // the plan has copied the bytes
        Check(status);
        return plan;
    }

    static void Main() {
        var text = Encoding.UTF8.GetBytes("one fish, red");
        IntPtr plan = Plan("fish", "red");
        Check(trawl_searcher_open(IntPtr.Zero, out var searcher, IntPtr.Zero));
        Check(trawl_list_bytes(
            searcher, plan, text, (ulong)text.Length, 0, IntPtr.Zero, 0, out var count, IntPtr.Zero)); // 0: only count
        Console.WriteLine(count);
        trawl_searcher_close(searcher);
        trawl_plan_free(plan);
    }
}
