import { afterAll, describe, expect, test } from "bun:test";
import { inProcessBus, redisBus } from "#core/bus.ts";
import { silentLog } from "#core/log.ts";
import { pairedRedis } from "#core/redis/testing/pairedRedis.ts";
import { connectRedis } from "#core/redis.ts";
import { skipWithReason } from "#test/harness/skipWithReason.ts";
import { startRedis, type TestRedis, whyNoRedis } from "#test/harness/startRedis.ts";
import { until } from "#test/harness/until.ts";

describe("inProcessBus", () => {
	function make() {
		const said: string[] = [];
		const bus = inProcessBus({ ...silentLog, error: (message) => said.push(message) });
		const heard: string[] = [];
		const listen = (name: string) => (message: string) => heard.push(`${name}:${message}`);
		return { bus, said, heard, listen };
	}

	test("a hint reaches every listener of its channel, and nobody else", () => {
		const { bus, heard, listen } = make();
		bus.subscribe("c", listen("a"));
		bus.subscribe("c", listen("b"));
		bus.subscribe("d", listen("other"));
		bus.publish("c", "1");
		bus.publish("nobody", "2");
		expect(heard).toEqual(["a:1", "b:1"]);
	});

	test("a listener that throws does not affect the other listeners, and is logged", () => {
		const { bus, said, heard, listen } = make();
		bus.subscribe("c", () => {
			throw new Error("mine");
		});
		bus.subscribe("c", listen("b"));
		bus.publish("c", "1");
		expect({ heard, said }).toEqual({ heard: ["b:1"], said: ["a bus listener failed"] });
	});

	test("a stopped listener receives nothing; stopping it twice does not stop other listeners", () => {
		const { bus, heard, listen } = make();
		const stop = bus.subscribe("c", listen("a"));
		stop();
		bus.subscribe("c", listen("b"));
		stop();
		bus.publish("c", "1");
		expect(heard).toEqual(["b:1"]);
	});

	test("a function that subscribes twice is called twice, and each subscription ends by itself", () => {
		const { bus, heard, listen } = make();
		const listener = listen("a");
		const stop = bus.subscribe("c", listener);
		bus.subscribe("c", listener);
		stop();
		bus.publish("c", "1");
		expect(heard).toEqual(["a:1"]);
	});

	test("listeners that start or stop while a hint is delivered do not disturb its delivery", () => {
		const { bus, heard, listen } = make();
		const stopA = bus.subscribe("c", (message) => {
			heard.push(`a:${message}`);
			stopA();
			bus.subscribe("c", listen("late"));
		});
		bus.subscribe("c", listen("b"));
		bus.publish("c", "1");
		bus.publish("c", "2");
		expect(heard).toEqual(["a:1", "b:1", "b:2", "late:2"]);
	});

	test("a closed bus delivers nothing", async () => {
		const { bus, heard, listen } = make();
		bus.subscribe("c", listen("a"));
		await bus.close();
		bus.publish("c", "1");
		expect(heard).toEqual([]);
	});
});

describe("redisBus", () => {
	const testWithRedis = skipWithReason(whyNoRedis);
	const log = silentLog;
	let server: TestRedis | undefined;
	afterAll(() => server?.stop());

	/** Two processes, and what each heard. */
	function two() {
		const world = pairedRedis();
		const heard: string[] = [];
		const buses = ["one", "two"].map((name) => {
			const bus = redisBus({ redis: world.connect(), log });
			bus.subscribe("c", (message) => heard.push(`${name}:${message}`));
			return bus;
		});
		const [one, other] = buses;
		if (!one || !other) return expect.unreachable();
		return { ...world, one, other, heard };
	}

	test("[STR-06] every process receives a hint once, the publishing process first", () => {
		const { one, other, heard } = two();
		one.publish("c", "1");
		other.publish("c", "2");
		expect(heard).toEqual(["one:1", "two:1", "two:2", "one:2"]);
	});

	test("hints stay in their channel, and any text can be a hint", () => {
		const { one, other, heard } = two();
		const strange = '{"from":"x"}\n\u0000 é';
		other.subscribe("other \n", (message) => heard.push(message));
		one.publish("other \n", strange);
		expect(heard).toEqual([strange]);
	});

	test("[STR-06] while Redis is down a process receives its own hints, and later no old ones", () => {
		const { one, state, heard } = two();
		state.away = true;
		one.publish("c", "1");
		state.away = false;
		one.publish("c", "2");
		expect(heard).toEqual(["one:1", "one:2", "two:2"]);
	});

	test("a message on the channel that is no hint is ignored", () => {
		const { announce, heard } = two();
		for (const text of ["", "null", "[]", '{"from":1}', '{"channel":"c","message":"x"}']) {
			announce(text);
		}
		expect(heard).toEqual([]);
	});

	test("a closed bus delivers nothing and unsubscribes", async () => {
		const { one, other, heard, listeners } = two();
		await other.close();
		one.publish("c", "1");
		expect({ heard, listeners: listeners.size }).toEqual({ heard: ["one:1"], listeners: 1 });
	});

	testWithRedis(
		"[STR-06] over a real server hints arrive in the order in which they were given",
		async () => {
			server = await startRedis();
			const { url } = server;
			const links = [1, 2].map(() => connectRedis({ url, deployment: "test", log }));
			const buses = links.map((redis) => redisBus({ redis, log }));
			for (const link of links) await until(link.up, "Redis is up");
			const heard: string[] = [];
			buses[1]?.subscribe("c", (message) => heard.push(message));
			const sent = Array.from({ length: 500 }, (_, index) => `${index}`);
			for (const message of sent) buses[0]?.publish("c", message);
			await until(() => heard.length === sent.length, "all were heard");
			expect(heard).toEqual(sent);
			for (const link of links) await link.close();
		},
	);
});
