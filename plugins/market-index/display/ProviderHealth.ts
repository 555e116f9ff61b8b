import type { ProviderStreamState } from "#plugins/provider/contract.ts";

/** What a process knows of the provider. */
export type ProviderHealth = {
	/** False where none is configured: then what the lanes hold is all there is. */
	isOn: boolean;
	/** Whether its last call reached it; null where it has made none. */
	isConnected: boolean | null;
	stream: ProviderStreamState;
};
