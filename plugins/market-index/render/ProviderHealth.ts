import type { ProviderStreamState } from "#plugins/provider/contract.ts";

/** What a process knows of the provider. */
export type ProviderHealth = {
	/** Whether its last call reached it; null where it has made none. */
	isConnected: boolean | null;
	stream: ProviderStreamState;
};
