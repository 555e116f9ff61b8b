import type { Queryable } from "#core/db/Database.ts";
import type { Intent } from "#plugins/wallets/contract.ts";
import { readBatch } from "#plugins/wallets/intent/readBatch.ts";
import { readIntents } from "#plugins/wallets/intent/readIntents.ts";
import type { OpenLink } from "#plugins/wallets/link/createLinks.ts";
import { linkFault } from "#plugins/wallets/link/faults.ts";
import { isToBeCancelled } from "#plugins/wallets/link/isToBeCancelled.ts";
import { hashBatch } from "#plugins/wallets/plan/hashBatch.ts";

/**
 * The intents that a link asks about, as they stand. Throws `not_found` where they wait no more, or
 * where they were planned anew since: there is nothing to agree to by this link.
 */
export async function readLinked(
	db: Queryable,
	link: OpenLink,
	options: { mayHaveExpired?: boolean } = {},
): Promise<Intent[]> {
	const { intentId, purpose, planHash } = link;
	const [intent] = await readIntents(db, [intentId]);
	if (!intent) throw linkFault.notFound();
	if (purpose === "cancel") {
		const isOpen = await isToBeCancelled(db, { link, mayBeOver: options.mayHaveExpired === true });
		if (!isOpen) throw linkFault.notFound();
		return [intent];
	}
	const intents = purpose === "confirm" ? await readBatch(db, intent) : [intent];
	const waits = purpose === "confirm" ? "confirmation_required" : "signature_required";
	const isOpen = intents.every(({ status }) => {
		return status === waits || (options.mayHaveExpired === true && status === "expired");
	});
	if (!isOpen || hashBatch(intents) !== planHash) throw linkFault.notFound();
	return intents;
}
