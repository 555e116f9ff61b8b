/** Price levels told of each side of an order book. */
export const DEPTH_LEVELS_MAX = 50;
