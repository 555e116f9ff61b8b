import { expect, test } from "bun:test";
import { backfillPace } from "#plugins/chain-scanner/lane/backfillPace.ts";
import {
	CALM_MS_MIN,
	GENTLE_ROWS_PER_WRITE_MAX,
	ROWS_PER_WRITE_MAX,
} from "#plugins/chain-scanner/limits.ts";

const paceIn = (calmMs: number) => backfillPace({ calmForMs: () => calmMs });

test("backfill is gentle while a block may come, and as fast as lanes that catch up while none may", () => {
	const gentle = { kind: "gentle", rowsMax: GENTLE_ROWS_PER_WRITE_MAX } as const;
	expect(paceIn(0)).toEqual(gentle);
	expect(paceIn(CALM_MS_MIN - 1)).toEqual(gentle);
	const calm = { kind: "calm", rowsMax: ROWS_PER_WRITE_MAX } as const;
	expect(paceIn(CALM_MS_MIN)).toEqual(calm);
	expect(paceIn(Number.POSITIVE_INFINITY)).toEqual(calm);
});

test("where nobody follows the head there is nobody to give way to", () => {
	expect(backfillPace(undefined).kind).toBe("calm");
});
