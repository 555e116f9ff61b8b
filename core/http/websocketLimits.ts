/**
 * Limits of every stream, for `new Elysia({ websocket })`: those given to a single `.ws()` route
 * are ignored by Elysia 1.4.30 (a 20 kB frame passed a limit of 16 kB).
 */
export const websocketLimits = {
	/** Clients send subscriptions and pongs, nothing larger. More closes with 1009. */
	maxPayloadLength: 64 * 1024,
	/** Unsent bytes of a slow reader before it is closed. Bun's default is 16 MiB each. */
	backpressureLimit: 1024 * 1024,
	/** Without it Bun drops frames silently and leaves the socket open with a gap. */
	closeOnBackpressureLimit: true,
	/** Our pings come every 15 s, so a silent minute is a dead peer. */
	idleTimeout: 60,
	/** Compression of small frames costs memory for each socket and invites bombs. */
	perMessageDeflate: false,
} as const;
