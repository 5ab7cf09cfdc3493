// Drafts of forms: unsaved input stays in this tab's session storage, without secrets.
(function () {
  "use strict";

  var PREFIX = "foliot-draft ";
  var form = document.querySelector("form[data-draft]");

  function keyOf(of) {
    return PREFIX + of.dataset.draft + " " + of.getAttribute("action");
  }
  function read(key) {
    try { return JSON.parse(sessionStorage.getItem(key)); } catch (error) { return null; }
  }
  function write(key, draft) {
    try { sessionStorage.setItem(key, JSON.stringify(draft)); } catch (error) { /* not allowed, or full */ }
  }
  function forget(key) {
    try { sessionStorage.removeItem(key); } catch (error) { /* not allowed: nothing is stored */ }
  }
  function drafts() {
    try {
      return Object.keys(sessionStorage).filter(function (key) { return key.indexOf(PREFIX) === 0; });
    } catch (error) { return []; }
  }

  // The fields of a form as they would be posted, without the CSRF token, passwords and files.
  function fieldsOf(of) {
    var found = [];
    Array.prototype.forEach.call(of.elements, function (input) {
      var skips = !input.name || input.name === "csrf" || input.type === "password" || input.type === "file";
      var isOff = (input.type === "checkbox" || input.type === "radio") && !input.checked;
      if (!skips && !isOff && input.tagName !== "BUTTON") found.push([input.name, input.value]);
    });
    return found;
  }
  // Secrets are typed, were typed into a form that was refused, or before the draft was restored.
  function hasSecrets(of) {
    return "untyped" in of.dataset || Array.prototype.some.call(of.elements, function (input) {
      return (input.type === "password" && input.value) || input.name === "lost";
    });
  }
  function keep(isSent) {
    var fields = fieldsOf(form);
    write(keyOf(form), {
      fields: fields, secrets: hasSecrets(form), sent: isSent, address: form.dataset.page || location.pathname + location.search,
    });
  }

  // Add or remove rows of pairs, so that the form has as many as the draft.
  function addRows(of, fields) {
    of.querySelectorAll("[data-add]").forEach(function (button) {
      var list = document.getElementById(button.dataset.add);
      var row = document.getElementById(button.dataset.add + "-row");
      var name = row.content.querySelector("input,select").name;
      var wanted = fields.filter(function (each) { return each[0] === name; }).length;
      while (list.children.length > wanted) list.lastElementChild.remove();
      while (list.children.length < wanted) list.append(row.content.cloneNode(true));
    });
  }
  function fill(of, fields) {
    var left = {};
    fields.forEach(function (each) { (left[each[0]] = left[each[0]] || []).push(each[1]); });
    addRows(of, fields);
    Array.prototype.forEach.call(of.elements, function (input) {
      if (!input.name || input.name === "csrf" || input.type === "password" || input.type === "file" || input.tagName === "BUTTON") return;
      var values = left[input.name] || [];
      if (input.type === "checkbox" || input.type === "radio") input.checked = values.indexOf(input.value) >= 0;
      else if (values.length) input.value = values.shift();
    });
  }

  function showNotice(draft) {
    var notice = document.createElement("div");
    notice.className = "notice warn restored";
    notice.setAttribute("role", "status");
    var words = document.createElement("p");
    words.textContent = "Restored your unsaved changes."
      + (draft.secrets ? " Type passwords and keys again." : "");
    var discard = document.createElement("button");
    discard.type = "button";
    discard.className = "button small";
    discard.textContent = "Discard them";
    discard.addEventListener("click", function () {
      forget(keyOf(form));
      location.reload();
    });
    notice.append(words, discard);
    form.before(notice);
  }

  function showEnded(address) {
    if (document.querySelector("[data-ended]")) return;
    var notice = document.createElement("p");
    notice.className = "notice warn connection";
    notice.setAttribute("role", "alert");
    notice.dataset.ended = "";
    var link = document.createElement("a");
    link.href = address;
    link.textContent = "Sign in again";
    link.addEventListener("click", function () { keep(true); });
    notice.append("Your session has ended. What you typed is kept in this tab. ", link);
    form.before(notice);
  }

  function restore() {
    var draft = read(keyOf(form));
    if (!draft) return;
    if (!draft.secrets && JSON.stringify(draft.fields) === JSON.stringify(fieldsOf(form))) {
      forget(keyOf(form));
      return;
    }
    fill(form, draft.fields);
    showNotice(draft);
    if (draft.secrets) form.dataset.untyped = "";
    keep(false);
  }

  // What the page of the job would warn of; a form that is not sent has nobody else to say so.
  var checks = {
    sas: function (text) {
      var given = new URLSearchParams(text.trim().replace(/^\?/, ""));
      if (!given.get("sig")) return "This is not a SAS token: it has no signature (sig=). Paste all of it.";
      var until = given.get("se");
      return until && Date.parse(until) <= Date.now() ? "The SAS token has expired: it was good until " + until + "." : "";
    },
  };
  function check(input) {
    var said = input.closest(".field").querySelector("[data-warning]");
    if (!("stored" in said.dataset)) said.dataset.stored = said.textContent;
    said.textContent = input.value ? checks[input.dataset.checks](input.value) : said.dataset.stored;
  }

  // A button names what the chosen option does.
  function nameChoice() {
    var button = form.querySelector("[data-says-choice]");
    var chosen = form.querySelector("[data-says]:checked");
    if (button && chosen) button.textContent = chosen.dataset.says;
  }
  // A list says of some of its options what one should know before choosing them.
  function warnOfChoice() {
    form.querySelectorAll("[data-warns]").forEach(function (input) {
      var wanted = input.value.trim().toLowerCase();
      var found = Array.prototype.filter.call(input.list.options, function (option) {
        var name = option.value.toLowerCase();
        return name === wanted || name.split("/").pop() === wanted;
      });
      var warning = document.getElementById(input.dataset.warns);
      warning.hidden = found.length !== 1 || !found[0].textContent;
      if (!warning.hidden) warning.querySelector("span").textContent = found[0].textContent;
    });
  }
  function followChoices() {
    nameChoice();
    warnOfChoice();
  }

  if (form) {
    // After a refused save the page shows the posted values: they are the draft now.
    if ("refused" in form.dataset) keep(false);
    else if ("stays" in form.dataset && (read(keyOf(form)) || {}).sent) forget(keyOf(form));
    else restore();
    form.addEventListener("input", function () { keep(false); });
    form.addEventListener("change", function () { keep(false); });
    form.addEventListener("foliot:held", function () { keep(false); });
    form.addEventListener("input", followChoices);
    form.addEventListener("input", function (event) { if (event.target.dataset.checks) check(event.target); });
    followChoices();
  }

  // A posted form led to another page: drop its draft if it was saved, else link back to the form.
  var isSignIn = document.querySelector("form[action='/sign-in']");
  var kept = document.querySelector("[data-kept]");
  if (kept && drafts().length) kept.textContent = ": what you typed is kept in this tab";
  var problem = document.querySelector("[data-problem]");
  drafts().forEach(function (key) {
    var draft = read(key);
    if (!draft || !draft.sent || (form && key === keyOf(form))) return;
    if (isSignIn) {
      draft.sent = false;
      write(key, draft);
      var then = isSignIn.querySelector("input[name=then]");
      then.value = draft.address;
    } else if (problem) {
      var back = problem.querySelector("a");
      back.textContent = "Back to the form";
      back.href = draft.address;
    } else forget(key);
  });

  document.addEventListener("click", function (event) {
    var link = event.target.closest("a");
    if (!link) return;
    if ("discards" in link.dataset && form) forget(keyOf(form));
    // A link in the problem summary opens and focuses its field, also in a group of inputs.
    if (link.closest(".problems") && link.hash.length > 1) {
      var target = document.getElementById(decodeURIComponent(link.hash.slice(1)));
      if (!target) return;
      event.preventDefault();
      for (var outer = target.closest("details"); outer; outer = outer.parentElement.closest("details")) outer.open = true;
      var input = target.matches("input,select,textarea") ? target : target.querySelector("input,select,button");
      if (!input) input = target.parentElement.querySelector("button");
      target.scrollIntoView({ block: "center" });
      if (input) input.focus({ preventScroll: true });
    }
  });

  // A form that waits for the server to answer is not sent yet.
  document.addEventListener("submit", function (event) {
    if (event.defaultPrevented) return;
    if (form && event.target === form) keep(true);
    if (event.target.getAttribute("action") === "/sign-out") drafts().forEach(forget);
  });
  // The session has ended: nobody is taken away from a form while typing. The draft is kept, and the
  // sign-in page returns to this form.
  document.addEventListener("htmx:beforeOnLoad", function (event) {
    if (!form || event.detail.xhr.status !== 401) return;
    event.preventDefault();
    keep(false);
    showEnded(event.detail.xhr.getResponseHeader("HX-Redirect") || "/sign-in");
  });

  // A browser scrolls only the caret of a long text into view: the rest may be under the bar that saves.
  document.addEventListener("focusin", function (event) {
    if (event.target.matches("form:has(> .save) textarea")) event.target.scrollIntoView({ block: "nearest" });
  });

  var summary = document.getElementById("problems");
  if (summary) summary.focus();
})();
