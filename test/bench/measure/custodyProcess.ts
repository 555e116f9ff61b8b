// The sandbox's wallet provider in a process of its own, so that its share of the processor can be
// told from the service's. Prints where it is, who may ask it, and people with wallets of theirs,
// as one JSON line, and runs until it is told to end. Arguments: the chain's URL, how many people.
import { startCustodyEmulator } from "#test/sandbox/custody/startCustodyEmulator.ts";
import { walletProviderOf } from "#test/sandbox/custody/walletProviderOf.ts";

/** Accounts that nobody else has: each owner links one more wallet, of their own. */
const FIRST_EXTERNAL = 100_000;

const [rpcUrl = "", count] = process.argv.slice(2);
const custody = await startCustodyEmulator({ rpcUrl });
const people: object[] = [];
for (let n = 0; n < Number(count); n++) {
	const plan = { username: `owner_${n}`, external: FIRST_EXTERNAL + n };
	const { id, wallet, subject, external } = await custody.addPerson(plan);
	const token = custody.token({ userId: id });
	const address = wallet?.address.toLowerCase();
	people.push({ token, walletId: wallet?.id, address, subject, external });
}
process.stdout.write(`${JSON.stringify({ ...walletProviderOf(custody), people })}\n`);
process.once("SIGTERM", () => process.exit(0));
// A bench that is gone leaves nobody behind.
process.stdin.once("end", () => process.exit(0));
process.stdin.resume();
