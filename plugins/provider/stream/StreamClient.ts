import type { ProviderStream } from "#plugins/provider/contract.ts";

/** The stream, with the switch that only this plugin has. */
export type StreamClient = ProviderStream & {
	/** Opens it; it is kept open, whatever happens, until `stop` or the signal. */
	start(signal: AbortSignal): void;
	/**
	 * Closes it and waits for listeners under way. The followed collections are kept for the next
	 * `start`.
	 */
	stop(): Promise<void>;
};
