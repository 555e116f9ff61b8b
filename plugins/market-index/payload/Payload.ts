/** A provider's words about something, as an object of JSON. */
export type Payload = Readonly<Record<string, unknown>>;
