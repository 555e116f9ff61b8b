/** The advisory lock between those who send and those who switch them off: see `lockSwitches`. */
export const switchLockKey = 7_401_663;
