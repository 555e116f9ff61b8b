import type { ProviderPurpose } from "#plugins/provider/contract.ts";

/** Whether no client waits for such a call. */
export function isBackground(purpose: ProviderPurpose): boolean {
	return purpose === "background" || purpose === "endless";
}
