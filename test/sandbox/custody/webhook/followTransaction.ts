import { sleep } from "#core/time/sleep.ts";
import type { StoredTransaction } from "../createCustodyStore.ts";
import type { CustodyOffice } from "../rest/CustodyOffice.ts";
import { statusOf } from "../rest/statusOf.ts";

const LOOK_EVERY_MS = 200;
const FOLLOW_MAX_MS = 600_000;
/** The most transactions followed at once: each costs the node calls at each look. */
const FOLLOWED_MAX = 200;
const LAST = new Set(["confirmed", "execution_reverted", "replaced", "failed", "provider_error"]);
const followed = new WeakMap<CustodyOffice, number>();

/**
 * Sends a webhook for each step of a transaction, until it is final. Without a receiver nothing is
 * followed; a restart forgets what was followed.
 */
export function followTransaction(office: CustodyOffice, id: string): void {
	const count = followed.get(office) ?? 0;
	if (office.postbox.url() === null || count >= FOLLOWED_MAX) return;
	followed.set(office, count + 1);
	office.later(async (stopped) => {
		try {
			await follow(office, id, stopped);
		} finally {
			followed.set(office, (followed.get(office) ?? 1) - 1);
		}
	});
}

async function follow(office: CustodyOffice, id: string, stopped: AbortSignal): Promise<void> {
	const { store, postbox } = office;
	const giveUpAtMs = performance.now() + FOLLOW_MAX_MS;
	let told = "pending";
	while (!stopped.aborted && performance.now() < giveUpAtMs) {
		const transaction = store.byId(id);
		if (!transaction) return;
		// With automatic mining there is no time for this step, but it is sent all the same.
		const isOut = told === "pending" && transaction.status === "broadcasted";
		const status = isOut ? "broadcasted" : await knownStatus(office, transaction);
		if (status !== told) await postbox.tell(status, transaction);
		told = status;
		if (LAST.has(status)) return;
		if (!isOut) await sleep(LOOK_EVERY_MS, stopped);
	}
}

/**
 * Returns the status; `pending` while it is being handed to the node, even if the chain has it
 * already.
 */
async function knownStatus(office: CustodyOffice, transaction: StoredTransaction): Promise<string> {
	return transaction.status === "pending" ? "pending" : await statusOf(office, transaction);
}
