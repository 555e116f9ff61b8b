/** A sold-out collection is presented as such for this long after its last mint. */
export const SOLD_OUT_SHOWN_MS = 900_000;
