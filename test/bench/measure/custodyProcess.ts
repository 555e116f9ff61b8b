// Runs the sandbox's wallet provider in a process of its own, so that its share of the processor is
// separate from the service's. Prints its URL, its credentials, and people with their wallets, as
// one JSON line, and runs until it is told to end. Arguments: the chain's URL, the number of
// people.
import {
	startCustodyEmulator,
	walletProviderOf,
} from "#test/sandbox/custody/startCustodyEmulator.ts";

/** Accounts that have no other owner: each owner links one more wallet of their own. */
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
// If the bench is gone, this process ends too.
process.stdin.once("end", () => process.exit(0));
process.stdin.resume();
