import { z } from "zod";
import { transfersFault } from "#plugins/transfers/faults.ts";
import { TRANSFER } from "#plugins/transfers/transferKind.ts";
import type { Intent, Wallets } from "#plugins/wallets/contract.ts";

const uuid = z.uuid();

/** Returns a transfer of a profile. Throws `not_found` for every other id, existing or not. */
export async function ownTransfer(
	wallets: Pick<Wallets, "execution">,
	{ id, profileId }: { id: string; profileId: string },
): Promise<Intent> {
	const isId = uuid.safeParse(id).success;
	const intent = isId ? await wallets.execution.read(id, profileId) : null;
	if (intent?.kind !== TRANSFER) throw transfersFault.notFound();
	return intent;
}
