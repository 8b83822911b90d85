/* help: users may read of a needle; nobody reads FIXME. */
