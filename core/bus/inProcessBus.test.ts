import { expect, test } from "bun:test";
import { inProcessBus } from "#core/bus/inProcessBus.ts";
import { silentLog } from "#core/log/silentLog.ts";

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

test("a listener that throws costs the others nothing, and is said", () => {
	const { bus, said, heard, listen } = make();
	bus.subscribe("c", () => {
		throw new Error("mine");
	});
	bus.subscribe("c", listen("b"));
	bus.publish("c", "1");
	expect({ heard, said }).toEqual({ heard: ["b:1"], said: ["a bus listener failed"] });
});

test("who stopped listening hears nothing; stopping twice costs nobody else their hints", () => {
	const { bus, heard, listen } = make();
	const stop = bus.subscribe("c", listen("a"));
	stop();
	bus.subscribe("c", listen("b"));
	stop();
	bus.publish("c", "1");
	expect(heard).toEqual(["b:1"]);
});

test("one function that listens twice is two listeners, each with its own end", () => {
	const { bus, heard, listen } = make();
	const listener = listen("a");
	const stop = bus.subscribe("c", listener);
	bus.subscribe("c", listener);
	stop();
	bus.publish("c", "1");
	expect(heard).toEqual(["a:1"]);
});

test("listeners that come and go while a hint is handed out do not disturb it", () => {
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

test("a closed bus says nothing", async () => {
	const { bus, heard, listen } = make();
	bus.subscribe("c", listen("a"));
	await bus.close();
	bus.publish("c", "1");
	expect(heard).toEqual([]);
});
