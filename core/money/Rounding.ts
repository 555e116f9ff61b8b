/**
 * Which way a division that does not come out even goes. It is named at every call, because one
 * side always loses the last unit and the reader must see which. "Nearest" is not on offer.
 */
export type Rounding = "up" | "down";
