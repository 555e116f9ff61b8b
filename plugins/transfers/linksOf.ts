import type { Intent, Wallets } from "#plugins/wallets/contract.ts";

/**
 * Returns the link for each transfer that waits for its owner, by intent id. A batch is confirmed
 * as a whole by one link; each transaction that the owner's own wallet signs has its own.
 */
export async function linksOf(
	wallets: Pick<Wallets, "link">,
	intents: readonly Intent[],
): Promise<Map<string, string>> {
	const urls = new Map<string, string>();
	const confirming = intents.filter(({ status }) => status === "confirmation_required");
	const [first] = confirming;
	if (first) {
		const { url } = await wallets.link(first, "confirm");
		for (const { id } of confirming) urls.set(id, url);
	}
	for (const intent of intents.filter(({ status }) => status === "signature_required")) {
		urls.set(intent.id, (await wallets.link(intent, "sign")).url);
	}
	return urls;
}
