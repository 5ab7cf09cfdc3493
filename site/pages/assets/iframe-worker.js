// A browser refuses to start a worker from a file. Search works from files all the same: the script of the worker runs in a
// hidden frame of the page, which passes messages on as a worker does.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      this.onmessage = null;
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      // A frame cannot load one script from within another; what a worker imports is loaded in turn, after it.
      inside.importScripts = (...names) => names.reduce((before, name) => before.then(() => this.load(name)), Promise.resolve());
      inside.postMessage = (data) => this.pass(data);
      inside.onerror = (message) => this.dispatchEvent(new ErrorEvent("error", {message}));
      this.ready = this.load(address);
    }

    load(address) {
      return new Promise((done, failed) => {
        const script = this.frame.contentDocument.createElement("script");
        script.src = new URL(address, document.baseURI).href;
        script.onload = done;
        script.onerror = failed;
        this.frame.contentDocument.body.append(script);
      });
    }

    pass(data) {
      const message = new MessageEvent("message", {data});
      this.dispatchEvent(message);
      if (this.onmessage) this.onmessage(message);
    }

    postMessage(data) {
      this.ready.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", {data})));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
