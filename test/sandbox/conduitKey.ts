import type { Hex } from "viem";

/** The key whose CREATE2 address, under the canonical controller, is the OpenSea conduit. */
export const conduitKey: Hex = "0x0000007b02230091a7ed01230072f7006a004d60a8d4e71d599b8104250f0000";
