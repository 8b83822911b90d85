/* engine_cpu: two functions are missing. */
const struct engine_ops engine_cpu = {
    .name = "cpu",
    .open = cpu_open, .close = cpu_close, .properties = cpu_properties, .compile = cpu_compile,
    .release = cpu_release, .submit = cpu_submit, .poll = cpu_poll, .cancel = NULL, .hold = cpu_hold,
    .eleven = cpu_eleven,
};
