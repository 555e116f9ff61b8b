import type { Tx } from "#core/db/Database.ts";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";

/**
 * Makes a transaction that gives way: its next statement fails once `mustYield` says so, and
 * everything it did is rolled back. Its last steps always run, since then only the commit is left.
 */
export function yieldingTx(tx: Tx, mustYield: () => boolean): Tx {
	let isEnding = false;
	const goOn = () => {
		if (!isEnding && mustYield()) throw scannerFault.gaveWay();
	};
	return {
		...tx,
		async query<Row>(...statement: Parameters<Tx["query"]>) {
			goOn();
			return tx.query<Row>(...statement);
		},
		async execute(...statement) {
			goOn();
			return tx.execute(...statement);
		},
		async copy(...rows) {
			goOn();
			return tx.copy(...rows);
		},
		beforeCommit(run, options) {
			const last = () => {
				isEnding = true;
				return run();
			};
			tx.beforeCommit(last, options);
		},
	};
}
