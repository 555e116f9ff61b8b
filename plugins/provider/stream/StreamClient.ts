import type { ProviderStream } from "#plugins/provider/contract.ts";

/** The stream, and the switch that only its own plugin has. */
export type StreamClient = ProviderStream & {
	/** Opens it; it stays open, whatever happens, until `stop` or the signal. */
	start(signal: AbortSignal): void;
	/** Closes it and lets what is under way end. What is followed is kept for the next `start`. */
	stop(): Promise<void>;
};
