import { describe, expect, test } from "bun:test";
import { rpcFault } from "#core/chain/rpc/Rpc.ts";
import { dbFault } from "#core/db/Database.ts";
import { AssertionFailed } from "#core/fault.ts";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";
import { failureKind } from "#plugins/chain-scanner/lane/failureKind.ts";

describe("failureKind", () => {
	const sqlError = (code: string) => Object.assign(new Error("from PostgreSQL"), { code });

	test("[ING-08] only a refused range counts as one; silence, lag and another chain are waited out", () => {
		expect(failureKind(rpcFault.range()).kind).toBe("refused");
		for (const away of [rpcFault.transport(), rpcFault.refused(), rpcFault.wrongChain()]) {
			expect(failureKind(away).kind).toBe("away");
		}
		expect(failureKind(scannerFault.inconsistent()).kind).toBe("away");
	});

	test("rows that PostgreSQL or a sink cannot take are refused; an outage of the database is not that", () => {
		for (const error of [sqlError("22003"), sqlError("23514"), new AssertionFailed("x")]) {
			expect(failureKind(error)).toEqual({ kind: "refused", code: "rows_refused" });
		}
		expect(failureKind(new TypeError("x")).kind).toBe("refused");
		for (const code of ["57P01", "08006", "40P01", "53300", "ECONNREFUSED"]) {
			expect(failureKind(sqlError(code))).toEqual({ kind: "unplaced", code: "unexpected" });
		}
	});

	test("[ING-09] a fenced write and a moved cursor send the lane back to its lease and its cursor", () => {
		expect(failureKind(dbFault.fenced()).kind).toBe("fenced");
		expect(failureKind(scannerFault.cursorMoved()).kind).toBe("unplaced");
		expect(failureKind("thrown as text").kind).toBe("unplaced");
	});

	test("[ING-08] how much less to ask for is passed on, where the node said it", () => {
		expect(failureKind(rpcFault.range({ meta: { rangeBlocksMax: 500 } }))).toEqual({
			kind: "refused",
			code: "rpc_range",
			blocksMax: 500,
		});
		expect(failureKind(rpcFault.range({ meta: { timesTooLarge: 3 } }))).toMatchObject({
			timesTooLarge: 3,
		});
		expect(failureKind(rpcFault.range({ meta: { rangeBlocksMax: "all" } }))).toEqual({
			kind: "refused",
			code: "rpc_range",
		});
	});

	test("[ING-11] another fork is asked about; one that is too deep waits with its own name", () => {
		expect(failureKind(scannerFault.forked()).kind).toBe("forked");
		expect(failureKind(scannerFault.reorgTooDeep())).toEqual({
			kind: "unplaced",
			code: "reorg_too_deep",
		});
	});
});
