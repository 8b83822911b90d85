/* engine: one function too many. */
struct engine_ops {
    const char *name;
    void (*open)(void);
    void (*close)(void);
    void (*properties)(void);
    void (*compile)(void);
    void (*release)(void);
    void (*submit)(void);
    void (*poll)(void);
    void (*cancel)(void);
    void (*hold)(void);
    void (*drop)(void);
    void (*eleven)(void);
};
