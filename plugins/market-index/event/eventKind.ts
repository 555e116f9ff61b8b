/** How kinds are stored. */
export const EVENT_KIND = { sale: 1, mint: 2, transfer: 3 } as const;
