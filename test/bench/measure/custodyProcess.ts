// The sandbox's wallet provider in a process of its own, so that its share of the processor can be
// told from the service's. Prints where it is, who may ask it, and people with wallets of theirs,
// as one JSON line, and runs until it is told to end. Arguments: the chain's URL, how many people.
import { startCustodyEmulator } from "#test/sandbox/custody/startCustodyEmulator.ts";
import { walletProviderOf } from "#test/sandbox/custody/walletProviderOf.ts";

const [rpcUrl = "", count] = process.argv.slice(2);
const custody = await startCustodyEmulator({ rpcUrl });
const people: object[] = [];
for (let n = 0; n < Number(count); n++) {
	const { id, wallet } = await custody.addPerson({ username: `owner_${n}` });
	const token = custody.token({ userId: id });
	people.push({ token, walletId: wallet?.id, address: wallet?.address.toLowerCase() });
}
process.stdout.write(`${JSON.stringify({ ...walletProviderOf(custody), people })}\n`);
process.once("SIGTERM", () => process.exit(0));
// A bench that is gone leaves nobody behind.
process.stdin.once("end", () => process.exit(0));
process.stdin.resume();
