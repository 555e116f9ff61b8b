import type { ProviderStreamState } from "#plugins/provider/contract.ts";

/** What a process knows of the provider. */
export type ProviderHealth = {
	/** False where none is configured: then only the lanes' data exists. */
	isOn: boolean;
	/** Whether its last call succeeded in reaching it; null where it has made none. */
	isConnected: boolean | null;
	stream: ProviderStreamState;
};
