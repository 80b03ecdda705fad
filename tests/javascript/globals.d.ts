// The globals of the pages, and the modules' assumptions about the DOM: all elements are HTML elements, and code
// that looks one up by its id knows its kind.

interface Window {
  js_vars: any;
  jQuery: any;
  makeReconnectingWebSocket: (url: string) => WebSocket;
  ReconnectingWebSocket: new (url: () => string) => WebSocket;
  cardLab: { libraries: Set<string>; here?: WebSocket; standing?: any; ws?: WebSocket; browser?: any }; // what pages leave to the next
}

interface Document {
  getElementById(id: string): any;
}

interface ParentNode {
  readonly children: HTMLCollectionOf<HTMLElement>;
  readonly firstElementChild: HTMLElement | null;
  querySelector<E extends Element = HTMLElement>(selectors: string): E | null;
  querySelectorAll<E extends Element = HTMLElement>(selectors: string): NodeListOf<E>;
}

interface Element {
  closest<E extends Element = HTMLElement>(selectors: string): E | null;
}

interface EventTarget {
  closest: Element["closest"];
}

interface DocumentOrShadowRoot {
  readonly activeElement: HTMLElement | null;
}
