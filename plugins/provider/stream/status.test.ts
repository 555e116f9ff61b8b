import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createMetrics } from "#core/metrics.ts";
import {
	createStreamMetrics,
	createStreamStatus,
	followStreamStatus,
} from "#plugins/provider/stream/status.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("createStreamMetrics", () => {
	test("an operator sees what became of frames, and whether the stream is live", async () => {
		const metrics = createMetrics();
		const stream = createStreamMetrics(metrics);
		stream.count("handled");
		stream.count("handled");
		stream.observe({ isLive: true, joined: 3 });
		stream.waiting(7);
		stream.socketEnded();
		const { body } = await metrics.expose();
		expect(body).toContain('tapeline_provider_stream_frames_total{outcome="handled"} 2');
		expect(body).toContain("tapeline_provider_stream_live 1");
		expect(body).toContain("tapeline_provider_stream_topics 3");
		expect(body).toContain("tapeline_provider_stream_queue_pushes 7");
		expect(body).toContain("tapeline_provider_stream_sockets_ended_total 1");
	});
});

describe("createStreamStatus", () => {
	let database: TestDatabase;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database.drop());

	test("[MRG-13] a process that does not listen reports the state of the one that does, while that lives", async () => {
		const [listener, other] = [database.db, database.db].map(createStreamStatus);
		await other?.learn();
		expect(other?.state()).toBe("connecting");
		await listener?.tell("live");
		await other?.learn();
		expect(other?.state()).toBe("live");
		await listener?.tell("connecting");
		await other?.learn();
		expect(other?.state()).toBe("connecting");
		await listener?.tell("live");
		await other?.learn();
		// The process was killed, and could not report.
		await database.db.execute(
			"update provider.stream_status set told_at = now() - interval '10 seconds'",
		);
		await other?.learn();
		expect(other?.state()).toBe("connecting");
	});

	test("a listener that is just closing does not count as a disabled stream", async () => {
		const status = createStreamStatus(database.db);
		await status.tell("off");
		await status.learn();
		expect(status.state()).toBe("connecting");
	});
});

describe("followStreamStatus", () => {
	test("a process that never listens asks again and again how the stream stands, also after a failure", async () => {
		const stopping = new AbortController();
		let asked = 0;
		const status = {
			async learn() {
				if (++asked === 3) stopping.abort();
				if (asked === 1) throw new Error("away");
			},
		};
		await followStreamStatus({ status, signal: stopping.signal, everyMs: 1 });
		expect(asked).toBe(3);
	});
});
