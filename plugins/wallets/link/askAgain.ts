import type { Intent } from "#plugins/wallets/contract.ts";
import type { Links } from "#plugins/wallets/link/createLinks.ts";

/** A link for each intent that waits for its owner; a batch that waits to be confirmed has one. */
export async function askAgain(
	links: Pick<Links, "make">,
	intents: readonly Intent[],
): Promise<Map<string, { url: string; expiresAtMs: number }>> {
	const asked = new Map<string, { url: string; expiresAtMs: number }>();
	const ofBatch = new Map<string, { url: string; expiresAtMs: number }>();
	for (const intent of intents) {
		if (intent.status === "signature_required") {
			asked.set(intent.id, await links.make(intent, "sign"));
		} else if (intent.status === "confirmation_required") {
			const batch = intent.batchId ?? intent.id;
			const link = ofBatch.get(batch) ?? (await links.make(intent, "confirm"));
			ofBatch.set(batch, link);
			asked.set(intent.id, link);
		}
	}
	return asked;
}
