/**
 * Limits of every stream, for `new Elysia({ websocket })`: Elysia 1.4.30 ignores limits of a single
 * `.ws()` route (a 20 kB frame passed a limit of 16 kB).
 */
export const websocketLimits = {
	/** Clients send only subscriptions and pongs. A larger frame closes with 1009. */
	maxPayloadLength: 64 * 1024,
	/** Unsent bytes of a slow reader before it is closed. Bun's default is 16 MiB each. */
	backpressureLimit: 1024 * 1024,
	/** Without it Bun drops frames silently and leaves the socket open with a gap. */
	closeOnBackpressureLimit: true,
	/** Our pings come every 15 s, so a minute of silence means a dead peer. */
	idleTimeout: 60,
	/** Compressing small frames costs memory per socket and allows decompression bombs. */
	perMessageDeflate: false,
} as const;
