import type { ProviderPurpose } from "#plugins/provider/contract.ts";

/** Says whether no client waits for a call of this purpose. */
export function isBackground(purpose: ProviderPurpose): boolean {
	return purpose === "background" || purpose === "endless";
}
