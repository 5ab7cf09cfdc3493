// Saved filters: their names and queries are kept in this browser, for each page of its own.
(function () {
  "use strict";

  var box = document.querySelector("[data-saved-filters]");
  if (!box) return;
  var path = document.querySelector("form.filters").getAttribute("action");
  // The runs of all jobs share their filters.
  var place = "foliot-filters:" + (path.indexOf("/collections/") === 0 ? "job" : path);

  function read() {
    try {
      var saved = JSON.parse(localStorage.getItem(place) || "[]");
      return Array.isArray(saved) ? saved.filter(function (each) {
        return each && typeof each.name === "string" && typeof each.query === "string";
      }) : [];
    } catch (error) {
      return [];
    }
  }
  function write(saved) {
    try {
      localStorage.setItem(place, JSON.stringify(saved));
    } catch (error) {
      box.querySelector("ul").textContent = "This browser does not let the page save filters.";
      return false;
    }
    return true;
  }
  // Neither the position in the list nor the state of a refresh is a filter.
  function currentQuery() {
    var query = new URLSearchParams(location.search);
    ["after", "seen", "skip"].forEach(function (name) { query.delete(name); });
    Array.from(query.keys()).forEach(function (name) { if (!query.get(name)) query.delete(name); });
    return query.toString();
  }

  function show() {
    var list = box.querySelector("ul");
    list.textContent = "";
    read().forEach(function (each) {
      var item = document.createElement("li");
      var link = document.createElement("a");
      link.textContent = each.name;
      link.href = path + "?" + each.query;
      if (each.query === currentQuery()) link.setAttribute("aria-current", "true");
      var remove = document.createElement("button");
      remove.type = "button";
      remove.textContent = "×";
      remove.setAttribute("aria-label", "Delete the saved filter " + each.name);
      remove.addEventListener("click", function () {
        if (write(read().filter(function (other) { return other.name !== each.name; }))) show();
        box.querySelector("input").focus();
      });
      item.append(link, remove);
      list.append(item);
    });
    list.hidden = !list.childElementCount;
    box.querySelector("form").hidden = !currentQuery();
    box.hidden = list.hidden && !currentQuery();
  }

  box.querySelector("form").addEventListener("submit", function (event) {
    event.preventDefault();
    var name = this.elements.name.value.trim();
    if (!name) return;
    var others = read().filter(function (each) { return each.name !== name; });
    if (!write(others.concat({ name: name, query: currentQuery() }))) return;
    this.reset();
    show();
  });
  show();
})();
