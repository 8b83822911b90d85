/* list: nothing. */
