/** Gas for one call of an untrusted contract, which bounds a node's time. */
export const VIEW_GAS = "0x7a120";
